// Lets HTTP/2 connections take turns in beginning requests. A connection can send a hundred requests at once. Requests of two hundred
// connections would occupy the event loop for seconds if all began when they are parsed.

/** Time limit after which one iteration of the event loop begins no further requests. */
const budgetMs = 5

/**
 * Calls `begin` when it is the turn of its connection (`owner`). Calls `begin` in the same iteration of the event loop if no connection
 * waits.
 */
export function createStreamTurns(): (owner: object, begin: () => void) => void {
  // The connections in the order of their turns.
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
      // Iterating over a Map also visits entries that are added during the iteration.
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
