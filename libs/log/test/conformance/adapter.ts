// The interface through which the conformance suite tests an adapter. The suite itself does not depend on LMDB or Kafka.
import type { EventLog, TopicSpec } from '../../src/port.ts'

export interface LogAdapter {
  readonly name: string
  /** If a member sends no heartbeat for this long, it loses its partitions. 0 if members need no heartbeat. */
  readonly sessionMs: number
  /** Drops the responses to successful requests for a short time. `null` if the log uses no connection. */
  readonly loseAnswers: (() => Promise<void>) | null
  /** Creates an empty store for one log. The store outlives the processes that open it. */
  createStore(): Promise<LogStore>
}

export interface LogStore {
  open(topics: readonly TopicSpec[]): Promise<EventLog>
  /** Increases the age of every record on the log by this time, and waits for retention and compaction. */
  age(log: EventLog, ms: number): Promise<void>
  /** The module and the argument with which a child process can open the same log. The module exports `openLog(argument, topics)`. */
  readonly child: { readonly module: string; readonly argument: string }
  destroy(): Promise<void>
}
