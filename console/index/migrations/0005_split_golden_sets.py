import re

from django.db import migrations

CALIBRATED = re.compile(r"Calibrated by run (?P<run>\d+) \(questions (?P<questions>\w+)\)")


def split_golden_sets(apps, schema_editor):
    """One name stood for both cuts: it belongs to the one that was changed with it, as long as that stays."""
    Setting = apps.get_model("index", "ThresholdSetting")
    Calibration = apps.get_model("index", "CutCalibration")
    in_force = {}
    for setting in Setting.objects.order_by("id"):
        before = in_force.get(setting.version_id)
        for score in ("relevance", "distance"):
            if before is not None and getattr(before, f"{score}_cut") == getattr(setting, f"{score}_cut"):
                setattr(setting, f"{score}_calibration", getattr(before, f"{score}_calibration"))
        if setting.golden_set:
            is_distance = before is not None and before.relevance_cut == setting.relevance_cut
            score = "distance" if is_distance else "relevance"
            told = CALIBRATED.search(setting.reason)
            calibration = Calibration.objects.create(
                score=score,
                cut=getattr(setting, f"{score}_cut"),
                max_chunks=setting.max_chunks,
                reranker="" if is_distance else setting.reranker,
                golden_set_name=setting.golden_set,
                golden_id=told["questions"][:16] if told else "",
                run_id=int(told["run"]) if told else None,
                measured_at=setting.set_at,
            )
            setattr(setting, f"{score}_calibration", calibration)
        setting.save()
        in_force[setting.version_id] = setting


class Migration(migrations.Migration):

    dependencies = [
        ('index', '0004_calibration_of_each_cut'),
    ]

    # Apart from the changes of the table: PostgreSQL alters none with foreign keys still to be checked.
    operations = [migrations.RunPython(split_golden_sets, migrations.RunPython.noop)]
