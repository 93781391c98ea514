"""Common English words of lowercase letters that samples of words and texts are drawn from."""

SHORT_WORDS = (
    "apple arrow autumn baker basket beach berry bird boat bottle branch bread brick bridge brother bucket butter "
    "button cabin candle carpet castle cattle chair cheese cherry circle cloud coffee copper corner cotton cousin "
    "cradle daisy desert dinner doctor dragon eagle earth engine evening fabric farmer father feather fence field "
    "finger flower forest fox friend garden ghost glass goat grape grass guitar hammer harbor harvest hill honey "
    "horse house island jacket jungle kettle kitchen ladder lake lamp leaf lemon letter lion little market meadow "
    "mirror monkey moon morning mother mountain needle night number oak ocean office onion orange owl paper parrot "
    "pencil pepper piano pillow planet pocket potato puzzle rabbit radio rain ribbon river road rocket room rose "
    "sailor salt school season shadow sheep ship silver sister sky snow spoon spring stone street sugar summer sun "
    "table teacher temple tiger tin tower train tree turtle uncle valley velvet village violin wagon wall water "
    "week whale wheel window winter wolf wood yellow zebra"
).split()
LONG_WORDS = (
    "adventure afternoon alphabet architect attention balcony beginning butterfly calendar carpenter celebrate "
    "character chocolate committee companion completely crossroad dangerous daughter detective dictionary different "
    "discovery distance education elephant envelope everything excellent expensive experiment favourite fireplace "
    "forgotten furniture gardener geography grandmother happiness horizontal hospital important interesting "
    "invention language laughter librarian lighthouse machinery magazine marvellous material medicine melancholy "
    "memorable mysterious necessary neighbour newspaper nightingale notebook ordinary orchestra passenger peppermint "
    "performance photograph pineapple playground president programme promising punctual quarrelling question "
    "raspberry rectangle remember restaurant sandwich satellite scientist september something strawberry submarine "
    "succession telephone television tomorrow treasure triangle umbrella university vegetable volunteer waterfall "
    "wednesday wilderness wonderful yesterday"
).split()
