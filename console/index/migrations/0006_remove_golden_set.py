from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('index', '0005_split_golden_sets'),
    ]

    operations = [
        migrations.RemoveField(
            model_name='thresholdsetting',
            name='golden_set',
        ),
    ]
