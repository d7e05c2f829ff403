# /// script
# requires-python = ">=3.11"
# dependencies = [
#     "litellm[proxy]>=1.100",
#     "openai>=1.58",
#     "opentelemetry-exporter-otlp-proto-http>=1.30",
# ]
# ///
"""The proxy of LiteLLM, which traces itself: the conversation goes through it."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import openai
from story import MODEL, converse, model_server, packages


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def wait_for(url: str) -> None:
    for _ in range(600):
        try:
            urllib.request.urlopen(url, timeout=1).close()
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise SystemExit("The proxy does not answer.")


resource = packages("litellm")
attributes = {"service.name": resource["service.name"]}
with model_server() as url, tempfile.TemporaryDirectory() as folder:
    model = {"model": f"openai/{MODEL}", "api_base": url, "api_key": "none"}
    config = Path(folder) / "config.yaml"
    config.write_text(
        json.dumps(
            {
                "model_list": [{"model_name": MODEL, "litellm_params": model}],
                "litellm_settings": {"callbacks": ["otel"]},
                "general_settings": {"master_key": "sk-none"},
            }
        )
    )
    port = free_port()
    environment = {
        **os.environ,
        "OTEL_EXPORTER": "otlp_http",
        "OTEL_ENDPOINT": os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"],
        "OTEL_RESOURCE_ATTRIBUTES": f"emitter.packages={resource['emitter.packages'][0]}",
        "OTEL_SERVICE_NAME": resource["service.name"],
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "NO_PROXY": "*",
    }
    command = Path(sys.executable).with_name("litellm")
    proxy = subprocess.Popen(
        [command, "--config", config, "--port", str(port), "--host", "127.0.0.1"],
        env=environment,
        stdout=sys.stderr,
    )
    try:
        wait_for(f"http://127.0.0.1:{port}/health/liveliness")
        converse(openai.OpenAI(base_url=f"http://127.0.0.1:{port}/v1", api_key="sk-none"))
        time.sleep(6)  # its exporter sends every five seconds
    finally:
        proxy.terminate()
        proxy.wait(20)
