// Only a few lookups run at the same time, and client addresses take turns, so that an address with hundreds of guesses does not delay
// other addresses.
import { AppError } from '@svc-server/errors'

export interface LaneLimits {
  /** Maximum number of concurrent lookups. One source can use at most half of the lanes. */
  readonly lanes: number
  /** Maximum number of waiting lookups, over all sources. */
  readonly maxWaiting: number
  readonly maxWaitingPerSource: number
}

export interface LookupLanes {
  /** Throws `overloaded` if too many lookups wait. */
  run<T>(source: string, work: () => Promise<T>): Promise<T>
  readonly running: number
  readonly waiting: number
}

interface Source {
  running: number
  readonly waiting: (() => Promise<void>)[]
}

export function createLookupLanes({ lanes, maxWaiting, maxWaitingPerSource }: LaneLimits): LookupLanes {
  const sources = new Map<string, Source>()
  const lanesOfSource = Math.max(1, Math.floor(lanes / 2))
  let running = 0
  let waiting = 0

  const next = () => {
    for (const [name, source] of sources) if (source.waiting.length > 0 && source.running < lanesOfSource) return { name, source }
    return undefined
  }

  function dispatch(): void {
    while (running < lanes) {
      const turn = next()
      if (turn === undefined) return
      const { name, source } = turn
      sources.delete(name)
      sources.set(name, source)
      const work = source.waiting.shift()!
      waiting--
      running++
      source.running++
      void work().finally(() => {
        running--
        source.running--
        if (source.running === 0 && source.waiting.length === 0) sources.delete(name)
        dispatch()
      })
    }
  }

  function sourceOf(name: string): Source {
    const known = sources.get(name)
    if (known !== undefined) return known
    const made: Source = { running: 0, waiting: [] }
    sources.set(name, made)
    return made
  }

  return {
    get running() {
      return running
    },
    get waiting() {
      return waiting
    },
    async run(name, work) {
      const full = waiting >= maxWaiting || (sources.get(name)?.waiting.length ?? 0) >= maxWaitingPerSource
      if (full) throw new AppError('overloaded', 'Too many credentials are being checked.')
      return new Promise((resolve, reject) => {
        sourceOf(name).waiting.push(() => work().then(resolve, reject))
        waiting++
        dispatch()
      })
    },
  }
}
