import type { EventLog, TopicSpec } from '../../src/port.ts'

export interface LogAdapter {
  readonly name: string
  /** A member without a heartbeat for this long loses its partitions. 0 if members need no heartbeat. */
  readonly sessionMs: number
  /** Drops responses to successful requests for a short time. It is null for a log without connections. */
  readonly loseAnswers: (() => Promise<void>) | null
  /** Creates an empty store for one log. The store outlives the processes that open it. */
  createStore(): Promise<LogStore>
}

export interface LogStore {
  open(topics: readonly TopicSpec[]): Promise<EventLog>
  /** Makes every record this much older, and waits for retention and compaction. */
  age(log: EventLog, ms: number): Promise<void>
  /** How a child process opens the same log. The module exports `openLog(argument, topics)`. */
  readonly child: { readonly module: string; readonly argument: string }
  destroy(): Promise<void>
}
