/** Banner that says that nothing new is stored, and why, for as long as it is so. */
import type { StoreHealth } from '../api/types.ts';
import { useCell, useInspector } from './parts/context.ts';
import './store-banner.css';

export function StoreBanner() {
  const health = useCell(useInspector().storeHealth);
  if (health === undefined || health.state === 'ok') return null;
  return (
    <div className="ins-store" role="alert">
      <strong>{HEADLINES[health.state]}</strong>
      <span>{health.message}</span>
      <span className="ins-store__since">
        Since <time dateTime={health.since}>{new Date(health.since).toLocaleTimeString()}</time>
        {' agents are asked to keep their data and send it again.'}
      </span>
    </div>
  );
}

const HEADLINES: Readonly<Record<Exclude<StoreHealth['state'], 'ok'>, string>> = {
  full: 'The store is full: nothing new is stored.',
  read_only: 'The store may only be read: nothing new is stored.',
  unavailable: 'The store cannot be written: nothing new is stored.',
};
