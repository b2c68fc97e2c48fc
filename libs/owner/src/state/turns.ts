// Limits the number of batches in memory. Waiting requests run in order of arrival.

export interface Turns {
  run<T>(work: () => Promise<T>): Promise<T>
}

export function createTurns(permits: number): Turns {
  let free = permits
  const waiting: (() => void)[] = []
  return {
    async run(work) {
      if (free > 0) free -= 1
      else await new Promise<void>(resolve => waiting.push(resolve))
      try {
        return await work()
      } finally {
        const next = waiting.shift()
        if (next === undefined) free += 1
        else next()
      }
    },
  }
}
