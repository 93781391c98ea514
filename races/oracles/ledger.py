"""Hand-worked examples and independent oracles for environments/themes/everyday/ledger.py."""

import networkx as nx

EXAMPLES: dict[str, list[tuple[str, str | None]]] = {
    "account_balances": [
        ("[-80, -70, -1, 30, -50]", "[20, -50, -50, -20, -20]"),
        ("[-200, 0, 5]", "[100, 100, 105]"),
        ("[]", "[]"),
        ("[999999]", None),
    ],
    "net_transfers": [
        ("[[1, 2], [1, 3], [2, 1], [1, 2]]", "[[1, -2], [2, 1], [3, 1]]"),
        ("[[4, 4]]", "[[4, 0]]"),
        ("[[-7, 5], [5, -7]]", "[[-7, 0], [5, 0]]"),
        ("[]", "[]"),
        (str([[2 * k, 2 * k + 1] for k in range(17)]), None),
    ],
    "restocked_inventory": [
        ('{"eggs": 5, "milk": 6, "nuts": 2, "rice": 99999}', '{"eggs": 14, "milk": 5, "nuts": 11, "rice": 99998}'),
        ('{"salt": 1}', '{"salt": 10}'),
        ("{}", "{}"),
    ],
}
Ints = tuple[int, ...]
Pairs = tuple[tuple[int, int], ...]
Counts = tuple[tuple[str, int], ...]


def account_balances(x: Ints, y: Ints) -> bool:
    """Each balance follows from the one before it, changed by all of the entry or by nothing of it."""
    before, right = 100, len(x) == len(y)
    for entry, after in zip(x, y, strict=False):
        skipped = entry < 0 and before + entry < -50
        right = right and after - before == (0 if skipped else entry)
        before = after
    return right


def net_transfers(x: Pairs, y: Pairs) -> bool:
    graph = nx.MultiDiGraph(x)
    return list(y) == [(account, graph.in_degree(account) - graph.out_degree(account)) for account in sorted(graph)]


def restocked_inventory(x: Counts, y: Counts) -> bool:
    """Of up to five units fewer than five are left, so that nine come to them on balance."""
    return dict(y) == {item: count + (9 if count in range(1, 6) else -1) for item, count in x}


ORACLES = {
    "account_balances": account_balances,
    "net_transfers": net_transfers,
    "restocked_inventory": restocked_inventory,
}
