/**
 * Returns the topic declared under this name when the log was opened. Throws Error for any other name, because that is a bug of the caller.
 */
export function declaredTopic<T>(topics: ReadonlyMap<string, T>, name: string): T {
  const topic = topics.get(name)
  if (topic === undefined) throw new Error(`Topic ${name} is not declared.`)
  return topic
}
