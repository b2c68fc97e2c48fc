import type { EventLog, TopicSpec } from '../../src/port.ts'

export interface LogAdapter {
  readonly name: string
  /** A member that sends no heartbeat for this time loses its partitions. If the log needs no heartbeats, this is 0. */
  readonly sessionMs: number
  /** Drops the responses to successful requests for a short time. Null if the log has no connections. */
  readonly loseAnswers: (() => Promise<void>) | null
  /** Creates an empty store for one log. The store stays after the processes that open it have ended. */
  createStore(): Promise<LogStore>
}

export interface LogStore {
  open(topics: readonly TopicSpec[]): Promise<EventLog>
  /** Makes every record older by `ms`, and waits until retention and compaction have run. */
  age(log: EventLog, ms: number): Promise<void>
  /** How a child process opens the same log. `module` exports the function `openLog(argument, topics)`. */
  readonly child: { readonly module: string; readonly argument: string }
  destroy(): Promise<void>
}
