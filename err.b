stackcollapse-aiflame: drawn: cpu-clock; not drawn: 13 context-switches, 18 page-faults
