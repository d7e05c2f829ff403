/**
 * `attach()`: send this process's telemetry to an Inspector service, and let people control it.
 *
 * It never breaks or blocks the program: a failure is one line on stderr. An existing SDK provider
 * keeps its sampler, resource and processors; without one, a new one is created and set globally.
 */

import type { TracerProvider } from '@opentelemetry/api';
import type { SpanProcessor } from '@opentelemetry/sdk-trace-node';

import { Control } from './control/control.js';
import { info, warn } from './log.js';
import { sessionAttributes } from './operations/session.js';
import { type Capture, isOn, isSessionOfProcess, readCapture } from './options.js';
import { Redactor } from './redaction/redactor.js';
import { setRuntime } from './runtime.js';
import { type Address, displayed, findService, isAddress } from './service/address.js';
import { ContentWriter } from './telemetry/content.js';
import { Delivery } from './telemetry/delivery.js';
import { sendAtExit } from './telemetry/exit.js';
import { ForeignContent } from './telemetry/foreign.js';
import { ProcessIdentity } from './telemetry/identity.js';
import { LiveSpanProcessor } from './telemetry/live-processor.js';
import { ProcessSession } from './telemetry/process-session.js';
import { watchedProvider } from './telemetry/provider.js';
import { SCOPE } from './telemetry/scope.js';

const EXIT_MS = 900;

/** Options of `attach`. */
export interface AttachOptions {
  /** Base URL of the service; default: `INSPECTOR_URL`, else the service running here. */
  readonly url?: string | undefined;
  /** Default: `INSPECTOR_TOKEN`, `INSPECTOR_TOKEN_FILE`, else that of the service running here. */
  readonly token?: string | undefined;
  /** How prompts, arguments and results are captured; default: `INSPECTOR_CAPTURE_CONTENT`, else `redacted`. */
  readonly capture?: Capture | undefined;
  /** Default: `OTEL_SERVICE_NAME`, else the name of the script. */
  readonly serviceName?: string | undefined;
  /** Whether people can answer, pause and cancel; default: `INSPECTOR_CONTROL`, else on. */
  readonly control?: boolean | undefined;
  /** Session of spans that name none: one per trace, or one per process; default: `INSPECTOR_SESSION`, else `per-trace`. */
  readonly session?: 'per-trace' | 'per-process' | undefined;
  /** Use this provider of an OpenTelemetry SDK instead of the global one. */
  readonly tracerProvider?: TracerProvider | undefined;
  /** Replaces the built-in removal of secrets. */
  readonly redactor?: Redactor | undefined;
}

/** An attachment. */
export interface Handle {
  /** URL of the service, without credentials; undefined: no service, nothing is sent. */
  readonly url: string | undefined;
  /** Whether telemetry is sent. */
  readonly isAttached: boolean;
  /** For an SDK that `attach` cannot find: `spanProcessors: [handle.spanProcessor]`. */
  readonly spanProcessor: SpanProcessor;
  /** Wait until all telemetry so far is sent; returns false on timeout. */
  flush(timeoutMs?: number): Promise<boolean>;
  /** Send the rest (for at most a second) and stop watching. Idempotent. */
  detach(): Promise<void>;
}

let attached: Handle | undefined;

/**
 * Send this process's telemetry to an Inspector service. If already attached, return the same handle.
 *
 * If the program has its own OpenTelemetry SDK, start that first; ours yields to one started later.
 *
 * @throws RangeError `capture` is invalid.
 */
export function attach(options: AttachOptions = {}): Handle {
  const capture = readCapture(options.capture);
  if (attached?.isAttached) return attached;
  const address = serviceToUse(options);
  if (address === undefined) return UNWATCHED;
  try {
    attached = attachTo(address, capture, options);
    return attached;
  } catch (error) {
    warn('attach', `Cannot attach to ${displayed(address.url)}: ${error}`);
    return UNWATCHED;
  }
}

function attachTo(address: Address, capture: Capture, options: AttachOptions): Handle {
  const redactor = options.redactor ?? new Redactor();
  const identity = new ProcessIdentity(
    capture === 'full' ? undefined : redactor,
    options.serviceName,
  );
  const foreign = new ForeignContent(capture, redactor);
  const delivery = new Delivery(address, identity, (item) => foreign.treat(item));
  const processor = new LiveSpanProcessor(
    delivery,
    identity,
    sessionAttributes,
    isSessionOfProcess(options.session) ? new ProcessSession() : undefined,
  );
  const provider = watchedProvider(processor, identity, options.tracerProvider);
  const control =
    (options.control ?? isOn('INSPECTOR_CONTROL', true))
      ? new Control(
          () => (address.isNamed ? address : findService(options.url, options.token)),
          () => ({ id: identity.id, service: identity.service }),
          capture === 'full',
        )
      : undefined;
  const content = new ContentWriter(capture, redactor);
  setRuntime({ tracer: () => provider.current().getTracer(SCOPE), processor, content, control });
  delivery.start();
  control?.channel.start();

  const onIdle = () => {
    // Sockets do not hold the process, so a timer does.
    const held = setTimeout(() => {}, EXIT_MS);
    const goodbyes = [control?.channel.sayGoodbye(), delivery.sayGoodbye(EXIT_MS)];
    void Promise.allSettled(goodbyes).then(() => clearTimeout(held));
  };
  const onExit = () =>
    sendAtExit(address, [...delivery.rest(), ...(control?.channel.rest() ?? [])]);
  process.on('beforeExit', onIdle);
  process.once('exit', onExit);

  let isAttached = true;
  return {
    url: displayed(address.url),
    get isAttached() {
      return isAttached;
    },
    spanProcessor: processor,
    flush: (timeoutMs = 5_000) => delivery.flush(timeoutMs),
    async detach() {
      if (!isAttached) return;
      isAttached = false;
      process.off('beforeExit', onIdle);
      process.off('exit', onExit);
      setRuntime(undefined);
      provider.leave();
      await Promise.all([control?.close(), processor.shutdown()]);
    },
  };
}

function serviceToUse(options: AttachOptions): Address | undefined {
  if (process.env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true') {
    info('OTEL_SDK_DISABLED is set: this process is not watched.');
    return undefined;
  }
  const address = findService(options.url, options.token);
  if (address === undefined) {
    const text =
      'No service is running here and INSPECTOR_URL is not set: this process is not watched.';
    info(text);
    if (process.stderr.isTTY) warn('absent', `${text} Start one: inspector serve`);
  } else if (!isAddress(address.url)) {
    warn('address', 'INSPECTOR_URL is not an http(s) URL, such as http://127.0.0.1:7800.');
    return undefined;
  }
  return address;
}

const UNWATCHED: Handle = {
  url: undefined,
  isAttached: false,
  spanProcessor: {
    onStart: () => {},
    onEnd: () => {},
    forceFlush: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
  },
  flush: () => Promise.resolve(true),
  detach: () => Promise.resolve(),
};
