// The page of one capture: which views it has, and the keys that lead to them. `app.js` asks `PAGE`.

const PAGE = {
  first: "costs",
  views: [["costs", "Costs"], ["roofline", "Roofline"], ["map", "Map"], ["spans", "Spans"], ["program", "Program"]],
  columns: COLUMNS,
  sort: "gap",
  rows: rowsOf,
  table: costsView,
  opens: (row) => row.number !== "",
  drawn: {
    roofline: () => rooflineView(HELD),
    map: (asked) => mapView(HELD, Math.min(Number(asked.key) || 0, HELD.graphs.length - 1), go, Number(asked.tab) || 0),
    spans: () => spansView(HELD),
    program: () => sourceView(HELD),
    kernel: (asked, beside) => {
      const kernel = HELD.kernels.find((one) => one.number === asked.key);
      return kernel ? kernelView(HELD, kernel, asked.tab, beside) : missing(`There is no kernel ${asked.key} here.`);
    },
    call: (asked) => (HELD.calls[asked.key] ? callView(HELD, HELD.calls[asked.key]) : missing(`There is no library call ${asked.key} here.`)),
  },
};
