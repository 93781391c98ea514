# A package, since verl ships another one of this name, which would come before folders without this file.
