// Group commit: all waiting changes become one transaction. Concurrent appends share one sync. Records of a partition are stored in the
// order of the calls that append them.
import { AppError } from '@svc-server/errors'
import { createDraft, type Draft, reloadState, type State } from './state.ts'
import type { Store } from './store.ts'

interface Command<T> {
  readonly bytes: number
  /** True for appends of client requests: they count toward `maxQueuedBytes`, and settle within `ackTimeoutMs`. */
  readonly bounded: boolean
  /** Changes the transaction's draft. If the call throws, the draft must be unchanged. */
  apply(draft: Draft): T
}

export interface WriterOptions {
  readonly store: Store
  readonly state: State
  readonly clock: () => number
  readonly maxQueuedBytes: number
  readonly ackTimeoutMs: number
  readonly onWriteError: (error: unknown) => void
}

export interface Writer {
  submit<T>(command: Command<T>): Promise<T>
  drain(): Promise<void>
}

interface Waiting {
  readonly command: Command<unknown>
  readonly since: number
  resolve(value: unknown): void
  reject(error: unknown): void
  answered: boolean
}

// Maximum bytes and commands of a transaction. Each transaction ends with a sync. With smaller transactions, the sync would cost more per
// byte. During a larger transaction, the next commands would wait longer.
const groupBytes = 16 * 1024 * 1024
const groupCommands = 2000

export function createWriter({ store, state, clock, maxQueuedBytes, ackTimeoutMs, onWriteError }: WriterOptions): Writer {
  let queue: Waiting[] = []
  let running: Waiting[] = []
  let boundedBytes = 0
  let loop: Promise<void> | undefined
  let inDoubt = false
  let deadline: NodeJS.Timeout | undefined

  const answer = (waiting: Waiting, how: () => void): void => {
    if (waiting.answered) return
    waiting.answered = true
    how()
  }

  const takeGroup = (): Waiting[] => {
    let bytes = 0
    let count = 0
    while (count < queue.length && count < groupCommands && (count === 0 || bytes + queue[count]!.command.bytes <= groupBytes)) {
      bytes += queue[count++]!.command.bytes
    }
    const group = queue.slice(0, count)
    queue = queue.slice(count)
    return group
  }

  /** Writes a group of changes. Callers get results and rejections only after the write. */
  const writeGroup = async (group: readonly Waiting[]): Promise<void> => {
    if (inDoubt) {
      reloadState(store, state)
      inDoubt = false
    }
    const draft = createDraft(state, clock)
    const done: { waiting: Waiting; result: unknown }[] = []
    for (const waiting of group) {
      // A write that was reported as failed is skipped, because its caller may retry it.
      if (waiting.answered) continue
      try {
        done.push({ waiting, result: waiting.command.apply(draft) })
      } catch (error) {
        answer(waiting, () => waiting.reject(error))
      }
    }
    const operations = draft.finish()
    if (operations.length > 0) {
      inDoubt = true
      await store.write(operations)
      inDoubt = false
    }
    draft.publish()
    for (const { waiting, result } of done) answer(waiting, () => waiting.resolve(result))
  }

  const run = async (): Promise<void> => {
    // Collects appends that arrive together.
    await new Promise(resolve => setImmediate(resolve))
    while (queue.length > 0) {
      running = takeGroup()
      try {
        await writeGroup(running)
      } catch (error) {
        onWriteError(error)
        for (const waiting of running) answer(waiting, () => waiting.reject(error))
      }
      for (const { command } of running) if (command.bounded) boundedBytes -= command.bytes
      running = []
    }
    loop = undefined
  }

  /** Rejects appends that wait too long, for example for a disk that hangs. The records of a rejected append can still be written later. */
  const watch = (): void => {
    deadline ??= setTimeout(
      () => {
        deadline = undefined
        const now = performance.now()
        for (const waiting of [...running, ...queue]) {
          if (!waiting.command.bounded || now - waiting.since < ackTimeoutMs) continue
          answer(waiting, () =>
            waiting.reject(new AppError('log_unavailable', `The event log did not acknowledge within ${ackTimeoutMs} ms.`)),
          )
        }
        if (loop) watch()
      },
      Math.min(ackTimeoutMs, Math.max(10, ackTimeoutMs / 8)),
    ).unref()
  }

  return {
    submit<T>(command: Command<T>): Promise<T> {
      if (command.bounded) {
        // An append that alone exceeds `maxQueuedBytes` is accepted if no other append waits. Otherwise, the log could never write it.
        if (boundedBytes > 0 && boundedBytes + command.bytes > maxQueuedBytes) {
          return Promise.reject(
            new AppError('overloaded', `The event log has ${boundedBytes} bytes queued; its limit is ${maxQueuedBytes}.`, {
              queuedBytes: boundedBytes,
              limitBytes: maxQueuedBytes,
            }),
          )
        }
        boundedBytes += command.bytes
      }
      return new Promise<T>((resolve, reject) => {
        queue.push({ command, since: performance.now(), resolve: value => resolve(value as T), reject, answered: false })
        loop ??= run()
        if (command.bounded) watch()
      })
    },

    async drain() {
      while (loop) await loop
      clearTimeout(deadline)
    },
  }
}
