// Timers that never keep a process alive.

/** Like setTimeout, but a pending timer does not keep the process alive. */
export function safeSetTimeout(callback: () => void, milliseconds: number): ReturnType<typeof setTimeout> {
  const timer = setTimeout(callback, milliseconds)
  // A number in browsers.
  if (typeof timer === 'object' && timer !== null && 'unref' in timer) (timer as { unref(): void }).unref()
  return timer
}
