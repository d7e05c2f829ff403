# Builds the wheel (with its web UI: the build brings its own Node), then runs it as nobody special.
FROM python:3.12-slim AS build
WORKDIR /source
COPY . .
RUN pip wheel --no-cache-dir --wheel-dir /wheels ".[all]" "mcp-server-git>=2026.1"

FROM python:3.12-slim
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir --no-index --find-links /wheels \
        "mcp-agent-inspector[all]" mcp-server-git \
    && rm -rf /wheels \
    && useradd --create-home --uid 10001 inspector \
    && install -d -o inspector -g inspector /data
USER inspector
WORKDIR /home/inspector
VOLUME /data
EXPOSE 7800 4317 4318
ENTRYPOINT ["inspector"]
CMD ["serve"]
