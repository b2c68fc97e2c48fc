// What is done to the brokers beside the log's adapter: by an operator, and by retention when it is time.
import kafkajs, { type Admin } from 'kafkajs'

export type { Admin } from 'kafkajs'

export async function administer<Result>(brokers: readonly string[], work: (admin: Admin) => Promise<Result>): Promise<Result> {
  const admin = new kafkajs.Kafka({ brokers: [...brokers], logLevel: kafkajs.logLevel.NOTHING }).admin()
  await admin.connect()
  try {
    return await work(admin)
  } finally {
    await admin.disconnect()
  }
}

/** By partition, where the next record comes. */
export const appendedTo = async (admin: Admin, topic: string): Promise<ReadonlyMap<number, number>> =>
  new Map((await admin.fetchTopicOffsets(topic)).map(({ partition, high }) => [partition, Number(high)]))

/**
 * Time cannot be moved on a broker. What retention does to records that are old enough is done at once instead: the log is cut. `ends`: by partition, the
 * first offset that stays.
 */
export const cut = (admin: Admin, topic: string, ends: ReadonlyMap<number, number>): Promise<void> =>
  admin.deleteTopicRecords({ topic, partitions: [...ends].map(([partition, offset]) => ({ partition, offset: String(offset) })) })

/** By partition, up to where a group has committed; without partitions where it has committed nothing. */
export async function committedBy(admin: Admin, group: string, topic: string): Promise<ReadonlyMap<number, number>> {
  const [of] = await admin.fetchOffsets({ groupId: group, topics: [topic] })
  return new Map(of!.partitions.map(({ partition, offset }) => [partition, Number(offset)] as const).filter(([, offset]) => offset >= 0))
}
