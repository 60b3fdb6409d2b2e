# One image for web, worker and bot; compose.yaml says which command runs.
FROM python:3.11-slim

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1
WORKDIR /app
COPY requirements.txt .
RUN pip install -r requirements.txt
COPY . .
RUN useradd --create-home --uid 10001 footnote && mkdir -p /data && chown footnote /data
USER footnote
ENV FOOTNOTE_HOME=/data FOOTNOTE_MODE=server
EXPOSE 8000
CMD ["uvicorn", "console.asgi:application", "--host", "0.0.0.0", "--port", "8000", "--no-server-header"]
