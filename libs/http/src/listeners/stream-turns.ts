// Lets the connections of HTTP/2 take turns in beginning requests. A connection can send a hundred requests at once. If all requests of two
// hundred connections began when they are parsed, they would occupy the event loop for seconds.

/** After this time, an iteration of the event loop begins no further requests. */
const budgetMs = 5

/** Calls `begin` when it is the owner's turn. If no owner waits, calls it in the same iteration of the event loop. */
export function createStreamTurns(): (owner: object, begin: () => void) => void {
  // The owners in the order of their turns.
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
