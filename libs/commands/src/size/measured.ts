// Reads the measured costs. Benches write them to `measured.json`: `npm run bench -- NAME --json libs/commands/src/size/measured.json --
// FLAGS`. docs/sizing.md lists these commands for all benches.
import type { WriteMode } from '@svc-server/modes/write-mode'
import json from './measured.json' with { type: 'json' }

interface Bench {
  readonly machine: string
}

interface Table {
  readonly bytesPerRow: number
}

export interface Measured {
  /** Measured in events_only, with one process per service, one broker, and one column store server. */
  readonly whole: Bench & {
    readonly warm: Readonly<Record<'gateway' | 'broker' | 'writer' | 'engine', { readonly all: number }>>
    readonly bytesPerSpan: { readonly decoded: number; readonly record: number }
  }
  readonly dual: Bench & {
    readonly msPer1000: Readonly<Record<WriteMode, { readonly engine: number; readonly js: number }>>
    /**
     * Size after merges, for spans with distinct texts. The spans of the measurement `whole` repeat their texts, and therefore compress
     * better than real data.
     */
    readonly parts: { readonly events_full: Table; readonly events_core: Table; readonly observations: Table }
  }
  readonly propagate: Bench & {
    readonly cpuMsPer1000Spans: { readonly all: number }
    readonly stagedBytesPerSpan: number
  }
  readonly tls: Bench & {
    readonly cpuMsPer1000Spans: Readonly<Record<'plain' | 'tls' | 'plainFresh' | 'tlsFresh', number>>
    readonly tlsToPlain: number
    readonly tlsToPlainFresh: number
  }
}

export const measured: Measured = json

/** Returns CPU time in ms per 1,000 spans, and bytes per span. */
export function costOf(writeMode: WriteMode, { whole, dual, propagate }: Measured = measured) {
  const { warm, bytesPerSpan } = whole
  const { events_full, events_core, observations } = dual.parts
  const { events_only: one, [writeMode]: mode } = dual.msPer1000
  const events = writeMode === 'legacy' ? 0 : events_full.bytesPerRow + events_core.bytesPerRow
  return {
    decodedBytes: bytesPerSpan.decoded,
    gateway: { ms: warm.gateway.all },
    broker: { ms: warm.broker.all },
    // The bench `whole` measures only events_only. The bench `dual` measures how much the other modes cost relative to events_only.
    writer: { ms: (warm.writer.all * mode.js) / one.js },
    engine: { ms: (warm.engine.all * mode.engine) / one.engine },
    propagator: { ms: propagate.cpuMsPer1000Spans.all },
    recordBytes: bytesPerSpan.record,
    stagedBytes: propagate.stagedBytesPerSpan,
    rowBytes: events + (writeMode === 'events_only' ? 0 : observations.bytesPerRow),
  }
}
