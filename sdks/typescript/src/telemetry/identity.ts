/** Which process this is: telemetry and control name the same `service.instance.id`. */

import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { basename } from 'node:path';
import { isMainThread, threadId } from 'node:worker_threads';
import type { Attributes } from '@opentelemetry/api';
import { envDetector } from '@opentelemetry/resources';

import type { Redactor } from '../redaction/redactor.js';

export const INSTANCE_ID = 'service.instance.id';
const SERVICE_NAME = 'service.name';
const UNKNOWN_SERVICE = 'unknown_service';

/** As much of an SDK's resource as we use. */
export interface Resource {
  readonly attributes: Attributes;
  /** Whether detectors are still looking; `attributes` complains then. */
  readonly asyncAttributesPending?: boolean;
  getRawAttributes?(): [string, unknown][];
}

/** The identity of this process, or of this worker thread, which is a process to the service. */
export class ProcessIdentity {
  readonly #own: Attributes;
  readonly #complete = new WeakMap<Resource, Resource>();
  readonly #redactor: Redactor | undefined;
  #isFixed = false;

  /**
   * @param redactor Scrubs resources, such as command lines; undefined leaves them as they are.
   */
  constructor(redactor: Redactor | undefined, serviceName?: string) {
    this.#redactor = redactor;
    this.#own = {
      ...(envDetector.detect().attributes as Attributes),
      [SERVICE_NAME]: serviceName || process.env['OTEL_SERVICE_NAME'] || scriptName(),
      [INSTANCE_ID]: randomUUID(),
      'process.pid': process.pid,
      'host.name': hostname(),
      ...(isMainThread ? {} : { 'thread.id': threadId }),
    };
  }

  /** The id; from now on it does not change. */
  get id(): string {
    this.#isFixed = true;
    return String(this.#own[INSTANCE_ID]);
  }

  get service(): string {
    return String(this.#own[SERVICE_NAME]);
  }

  /** The resource of what has none of its own. */
  get resource(): Resource {
    return { attributes: this.#own };
  }

  /** Take over how the program calls itself, unless something was sent under our name already. */
  adopt(resource: Resource | undefined): void {
    if (this.#isFixed || resource === undefined) return;
    for (const key of [INSTANCE_ID, SERVICE_NAME]) {
      const named = settled(resource)[key];
      if (typeof named === 'string' && named && !named.startsWith(UNKNOWN_SERVICE)) {
        this.#own[key] = named;
      }
    }
    this.#isFixed = true;
  }

  /** Add this process to `resource`. What the program set stays, but for another process's id. */
  complete(resource: Resource): Resource {
    let found = this.#complete.get(resource);
    if (found === undefined) {
      const named = Object.fromEntries(
        Object.entries(settled(resource)).filter(([, value]) => value !== undefined),
      );
      if (String(named[SERVICE_NAME] ?? '').startsWith(UNKNOWN_SERVICE)) delete named[SERVICE_NAME];
      const attributes = { ...this.#own, ...named, [INSTANCE_ID]: this.id };
      found = { attributes: this.#redactor?.attributes(attributes) ?? attributes };
      if (!resource.asyncAttributesPending) this.#complete.set(resource, found);
    }
    return found;
  }
}

/** Return the attributes of a resource that are known by now. */
function settled(resource: Resource): Attributes {
  if (!resource.asyncAttributesPending) return resource.attributes;
  const known: Attributes = {};
  for (const [key, value] of resource.getRawAttributes?.() ?? []) {
    const isPending = typeof value === 'object' && value !== null && 'then' in value;
    if (!isPending && value !== null) known[key] ??= value as Attributes[string];
  }
  return known;
}

function scriptName(): string {
  const script = process.argv[1];
  return script ? basename(script).replace(/\.[cm]?[jt]sx?$/, '') : 'node';
}
