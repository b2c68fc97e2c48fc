// Timers that never keep a process alive.

/** Like setTimeout, but the runtime may end while the timer is pending. */
export function safeSetTimeout(callback: () => void, milliseconds: number): ReturnType<typeof setTimeout> {
  const timer = setTimeout(callback, milliseconds)
  // A number in browsers.
  if (typeof timer === 'object' && timer !== null && 'unref' in timer) (timer as { unref(): void }).unref()
  return timer
}
