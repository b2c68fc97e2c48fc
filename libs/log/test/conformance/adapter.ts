// What the conformance suite asks of an adapter. The suite itself knows neither LMDB nor Kafka.
import type { EventLog, TopicSpec } from '../../src/port.ts'

export interface LogAdapter {
  readonly name: string
  /** A member that is silent for so long loses its partitions; 0 where members need not speak. */
  readonly sessionMs: number
  /**
   * For a moment requests are done and their answers lost. Where there is nothing between a log and its
   * callers, nothing happens.
   */
  loseAnswers(): Promise<void>
  /** An empty place for one log, which outlives the processes that open it. */
  createStore(): Promise<LogStore>
}

export interface LogStore {
  open(topics: readonly TopicSpec[]): Promise<EventLog>
  /**
   * Makes everything on the log this much older, and lets retention and compaction go by. Tests still wait
   * for what they expect.
   */
  age(log: EventLog, ms: number): Promise<void>
  /** How a child process opens the same log: a module that exports `openLog(argument, topics)`. */
  readonly child: { readonly module: string; readonly argument: string }
  destroy(): Promise<void>
}
