/** Like setTimeout, but a pending timer does not keep the process alive. */
export function safeSetTimeout(callback: () => void, milliseconds: number): ReturnType<typeof setTimeout> {
  const timer = setTimeout(callback, milliseconds)
  // In browsers, a timer is a number.
  if (typeof timer === 'object' && timer !== null && 'unref' in timer) (timer as { unref(): void }).unref()
  return timer
}
