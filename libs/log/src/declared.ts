/** The topic that was declared when the log was opened. Throws an Error for another name, because the caller has a bug. */
export function declaredTopic<T>(topics: ReadonlyMap<string, T>, name: string): T {
  const topic = topics.get(name)
  if (topic === undefined) throw new Error(`Topic ${name} is not declared.`)
  return topic
}
