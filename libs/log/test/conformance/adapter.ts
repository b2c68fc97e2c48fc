// What the conformance suite needs from an adapter. The suite itself knows neither LMDB nor Kafka.
import type { EventLog, TopicSpec } from '../../src/port.ts'

export interface LogAdapter {
  readonly name: string
  /** A member that is silent for this long loses its partitions. 0 if members need no heartbeat. */
  readonly sessionMs: number
  /** For a moment, requests succeed but their responses are lost. `null` if no connection is between the log and its callers. */
  readonly loseAnswers: (() => Promise<void>) | null
  /** Creates an empty store for one log. The store is kept when the processes that open it end. */
  createStore(): Promise<LogStore>
}

export interface LogStore {
  open(topics: readonly TopicSpec[]): Promise<EventLog>
  /**
   * Makes every record on the log this much older, and waits for retention and compaction. Afterwards, tests still wait for the state that
   * they expect.
   */
  age(log: EventLog, ms: number): Promise<void>
  /** Lets a child process open the same log: a module that exports `openLog(argument, topics)`, and the argument. */
  readonly child: { readonly module: string; readonly argument: string }
  destroy(): Promise<void>
}
