// Long reading gives way to the event loop in slices. Slices of different readers must not add up to one long
// one, so a single waiter goes on per turn: callbacks of setImmediate alone would all run in the same turn.
const waiting: (() => void)[] = []

function resume(): void {
  const next = waiting.shift()
  if (waiting.length > 0) setImmediate(resume)
  next?.()
}

/** How long one slice of reading may take. */
export const sliceMs = 3

/** Resolves in a turn of the event loop that no other reader has. */
export function nextTurn(): Promise<void> {
  return new Promise(resolve => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(resume)
  })
}
