/** Throws an Error for a topic that was not declared when the log was opened. Only a bug of the caller can lead to this Error. */
export function declaredTopic<T>(topics: ReadonlyMap<string, T>, name: string): T {
  const topic = topics.get(name)
  if (topic === undefined) throw new Error(`Topic ${name} is not declared.`)
  return topic
}
