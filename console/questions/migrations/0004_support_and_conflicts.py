from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("questions", "0003_relevance")]

    operations = [
        migrations.AddField(
            model_name="answer",
            name="conflicts",
            field=models.JSONField(
                default=list, help_text="[[number, number], …]: two versions of a document with other figures."
            ),
        ),
        migrations.AddField(
            model_name="answer",
            name="min_support",
            field=models.FloatField(
                blank=True, help_text="Support of the weakest claim, 0 to 1; 1 where all is quoted verbatim.", null=True
            ),
        ),
    ]
