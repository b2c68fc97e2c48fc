// The two ways in which a consumer waits: for a change of its partition, and for a free slot.

/** Resolves at the next call of a watcher, after `forMs` (at once when not above 0, never by time when Infinity), or on abort. */
export function waitForChange(watchers: Set<() => void>, forMs: number, signal: AbortSignal): Promise<void> {
  if (forMs <= 0 || signal.aborted) return Promise.resolve()
  return new Promise(resolve => {
    const timer = Number.isFinite(forMs) ? setTimeout(done, Math.ceil(forMs)) : undefined
    function done() {
      clearTimeout(timer)
      watchers.delete(done)
      signal.removeEventListener('abort', done)
      resolve()
    }
    watchers.add(done)
    signal.addEventListener('abort', done)
  })
}

export interface Semaphore {
  acquire(): Promise<void>
  release(): void
}

/** First come, first served: no partition starves behind busier ones. */
export function createSemaphore(permits: number): Semaphore {
  let free = permits
  const waiting: (() => void)[] = []
  return {
    acquire() {
      if (free > 0) {
        free--
        return Promise.resolve()
      }
      return new Promise(resolve => waiting.push(resolve))
    },
    release() {
      const next = waiting.shift()
      if (next) next()
      else free++
    },
  }
}
