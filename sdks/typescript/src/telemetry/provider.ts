/** The tracer provider whose spans are told: the program's, also one that it sets later, or ours. */

import { type TracerProvider, trace } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { NodeTracerProvider, type SpanProcessor } from '@opentelemetry/sdk-trace-node';

import { warn } from '../log.js';
import type { ProcessIdentity, Resource } from './identity.js';

/** A provider that has our processor. */
export interface WatchedProvider {
  current(): TracerProvider;
  /** Take the processor out again. */
  leave(): void;
}

/** As much of an SDK's provider as we use; no public way leads to its processors. */
interface SdkProvider extends TracerProvider {
  readonly _resource?: Resource;
  readonly _activeSpanProcessor: { _spanProcessors: SpanProcessor[] };
}

/** OpenTelemetry's global provider, which passes everything on to the one that was set. */
interface ProxyProvider extends TracerProvider {
  getDelegate?(): TracerProvider;
  setDelegate?(provider: TracerProvider): void;
}

/** Return the provider of the program, or one of our own, with `processor` added. */
export function watchedProvider(
  processor: SpanProcessor,
  identity: ProcessIdentity,
  chosen: TracerProvider | undefined,
): WatchedProvider {
  const known = chosen ?? delegateOf(trace.getTracerProvider());
  if (known === undefined) return ownProvider(processor, identity);
  if (isSdk(known)) identity.adopt(known._resource);
  const leave = add(processor, known);
  return { current: () => known, leave };
}

/**
 * Make a provider and let it be found, but leave the place of the global one free: an SDK that the
 * program starts later takes it, and gets the processor.
 */
function ownProvider(processor: SpanProcessor, identity: ProcessIdentity): WatchedProvider {
  let current: TracerProvider = new NodeTracerProvider({
    resource: resourceFromAttributes(identity.resource.attributes),
    spanProcessors: [processor],
  });
  // Contexts, too; propagation is the program's own matter.
  (current as NodeTracerProvider).register({ propagator: null });
  trace.disable();
  const proxy = trace.getTracerProvider() as ProxyProvider;
  const setDelegate = proxy.setDelegate?.bind(proxy);
  if (setDelegate === undefined) {
    trace.setGlobalTracerProvider(current);
    return { current: () => current, leave: () => {} };
  }
  setDelegate(current);
  let leave = () => {};
  proxy.setDelegate = (next) => {
    setDelegate(next);
    leave();
    leave = add(processor, next);
    current = next;
  };
  return {
    current: () => current,
    leave: () => {
      leave();
      proxy.setDelegate = setDelegate;
    },
  };
}

/** Add a processor to an SDK's provider; return a function that takes it out. */
function add(processor: SpanProcessor, provider: TracerProvider): () => void {
  if (!isSdk(provider)) {
    warn(
      'provider',
      'The tracer provider is not from the OpenTelemetry SDK, so spans are not seen: pass ' +
        '`attach().spanProcessor` to the SDK, as one of its spanProcessors.',
    );
    return () => {};
  }
  const list = provider._activeSpanProcessor;
  list._spanProcessors = [...list._spanProcessors, processor];
  return () => {
    list._spanProcessors = list._spanProcessors.filter((one) => one !== processor);
  };
}

/** Return the provider behind OpenTelemetry's global one; undefined: none has been set. */
function delegateOf(provider: ProxyProvider): TracerProvider | undefined {
  const delegate = provider.getDelegate?.() ?? provider;
  return delegate.constructor.name === 'NoopTracerProvider' ? undefined : delegate;
}

function isSdk(provider: TracerProvider): provider is SdkProvider {
  const list = (provider as Partial<SdkProvider>)._activeSpanProcessor;
  return Array.isArray(list?._spanProcessors);
}
