"""Tags of assets that say when they are made without being asked for by name."""

REBUILD = "races/rebuild"
RUN = "races/run"
# Made by `make run`, and again by itself whenever it is out of date; see races.assets.automation.
AUTO_REBUILD = {REBUILD: "auto"}
# Made by `make run`, and again only when somebody asks for it.
IN_RUN = {RUN: "default"}
