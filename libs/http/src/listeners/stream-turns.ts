// Begins requests of HTTP/2 connections in turns. A connection may send a hundred requests at the same time. If all requests of two hundred
// connections began when they are parsed, they would occupy the event loop for seconds.

/** Time of one loop iteration for requests to begin. */
const budgetMs = 5

/** Begins the work of an owner when its turn comes; without waiting owners, in the same loop iteration. */
export function createStreamTurns(): (owner: object, begin: () => void) => void {
  // Owners in order of their next turn.
  const lines = new Map<object, (() => void)[]>()
  let isScheduled = false

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(run)
  }

  function run(): void {
    isScheduled = false
    const untilMs = performance.now() + budgetMs
    for (const [owner, line] of lines) {
      if (performance.now() > untilMs) return schedule()
      lines.delete(owner)
      const begin = line.shift()!
      // The iteration of a Map also visits entries that are added during the iteration.
      if (line.length > 0) lines.set(owner, line)
      begin()
    }
  }

  return (owner, begin) => {
    const line = lines.get(owner)
    if (line === undefined) lines.set(owner, [begin])
    else line.push(begin)
    schedule()
  }
}
