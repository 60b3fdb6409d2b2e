from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("questions", "0006_verification_and_generator_faults"),
    ]

    operations = [
        migrations.AddField(
            model_name="answer",
            name="unanswered",
            field=models.JSONField(
                default=list,
                help_text="[{question, reason_code, best, cut}, …]: parts of the question that are refused beside the answer.",
            ),
        ),
    ]
