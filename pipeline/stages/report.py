"""Stage `report`: results.json, results.md, metrics/<variant>.json and index.html, in experiments/report."""

from pipeline import paths
from pipeline.files import write_json, write_text, writing_folder
from pipeline.params import Params
from pipeline.report import page
from pipeline.report.collect import collect, headline
from pipeline.report.markdown import markdown


def run(params: Params) -> None:
    collected = collect(params)
    with writing_folder(paths.REPORT) as folder:
        write_json(folder / "results.json", {"rows": collected.rows})
        write_text(folder / "results.md", markdown(collected))
        for name, values in headline(collected).items():
            write_json(folder / "metrics" / f"{name}.json", values)
        write_text(folder / "index.html", page.render(collected))
