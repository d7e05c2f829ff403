/** Pause, resume, step and cancel of sessions, with their outcomes. */
import type { Api } from '../api/client.ts';
import type { Verb } from '../api/types.ts';
import { KeyedStore } from './keyed-store.ts';

type VerbState =
  | { readonly kind: 'sending'; readonly verb: Verb }
  | { readonly kind: 'told'; readonly verb: Verb; readonly message: string }
  | { readonly kind: 'failed'; readonly verb: Verb; readonly message: string };

/** The last verb of each session, by session id. */
export class Verbs extends KeyedStore<VerbState> {
  private readonly api: Api;

  constructor(api: Api) {
    super();
    this.api = api;
  }

  /** Send a verb; return whether the service accepted it. */
  async give(sessionId: string, verb: Verb): Promise<boolean> {
    if (this.get(sessionId)?.kind === 'sending') return false;
    this.commit([[sessionId, { kind: 'sending', verb }]]);
    try {
      const { message } = await this.api.command(sessionId, verb);
      this.commit([[sessionId, { kind: 'told', verb, message }]]);
      return true;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.commit([[sessionId, { kind: 'failed', verb, message }]]);
      return false;
    }
  }
}
