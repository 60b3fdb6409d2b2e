"""Who changed what."""

from __future__ import annotations

from django.db.models import Q
from django.http import HttpResponseBase
from django.views.decorators.http import require_safe

from console.audit.models import AuditEntry
from console.guards import PersonRequest, admin_only
from console.htmx import page_or_part
from console.listing import list_rows
from console.values import searchable

AUDIT_BY = {"at": "at", "who": "actor_label", "action": "action", "subject": "subject"}


@require_safe
@admin_only
def audit(request: PersonRequest) -> HttpResponseBase:
    """Every change, newest first."""
    rows = AuditEntry.objects.all()
    values = {"action": searchable(request.GET.get("action", "")), "q": searchable(request.GET.get("q", ""))}
    if values["action"]:
        rows = rows.filter(action=values["action"])
    if values["q"]:
        rows = rows.filter(Q(subject__icontains=values["q"]) | Q(actor_label__icontains=values["q"]))
    context = {
        "listing": list_rows(request, rows, sortable=AUDIT_BY, default="-at"),
        "filters": values,
        "is_filtered": any(values.values()),
        "actions": AuditEntry.objects.order_by("action").values_list("action", flat=True).distinct(),
    }
    return page_or_part(request, "audit/list.html", context, parts={"list": "audit/_list.html"})
