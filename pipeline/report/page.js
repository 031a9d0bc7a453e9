const figures = JSON.parse(document.getElementById("figures").textContent);
for (const [id, figure] of Object.entries(figures)) {
  Plotly.newPlot(id, figure.data, figure.layout, { responsive: true, displayModeBar: false });
}
for (const legend of document.querySelectorAll(".legend")) {
  legend.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    const shown = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(shown));
    for (const id of Object.keys(figures).filter((name) => name.startsWith(legend.dataset.plots))) {
      const lines = figures[id].data.flatMap((line, index) => (line.meta === button.dataset.variant ? [index] : []));
      Plotly.restyle(id, { visible: shown }, lines);
    }
  });
}
