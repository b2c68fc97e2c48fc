// These functions change the brokers in the way in which an operator or the brokers' retention would.
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

export const appendedTo = async (admin: Admin, topic: string): Promise<ReadonlyMap<number, number>> =>
  new Map((await admin.fetchTopicOffsets(topic)).map(({ partition, high }) => [partition, Number(high)]))

/**
 * Deletes records as retention does. Tests cannot use retention itself, because they cannot change a broker's clock. `ends` maps each
 * partition to the first offset that stays.
 */
export const cut = (admin: Admin, topic: string, ends: ReadonlyMap<number, number>): Promise<void> =>
  admin.deleteTopicRecords({ topic, partitions: [...ends].map(([partition, offset]) => ({ partition, offset: String(offset) })) })

/** Returns the committed offsets of a group by partition. Leaves out partitions without a commit. */
export async function committedBy(admin: Admin, group: string, topic: string): Promise<ReadonlyMap<number, number>> {
  const [of] = await admin.fetchOffsets({ groupId: group, topics: [topic] })
  return new Map(of!.partitions.map(({ partition, offset }) => [partition, Number(offset)] as const).filter(([, offset]) => offset >= 0))
}
