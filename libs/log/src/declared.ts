/**
 * The topic that was declared under this name when the log was opened. Any other name is a bug of the caller:
 * Error.
 */
export function declaredTopic<T>(topics: ReadonlyMap<string, T>, name: string): T {
  const topic = topics.get(name)
  if (topic === undefined) throw new Error(`Topic ${name} is not declared.`)
  return topic
}
