// Spreads partitions over the members of a group. If several topics have equal partition counts, one member gets partition 0 of all these
// topics, another member gets partition 1 of all these topics, and so on. Records with equal keys therefore go to the same member.
// kafkajs's own assigner would separate them.
import kafkajs, { type PartitionAssigner } from 'kafkajs'

const { MemberMetadata, MemberAssignment } = kafkajs.AssignerProtocol

export interface AssignMember {
  readonly id: string
  readonly topics: readonly string[]
}

/**
 * Assigns partitions to members, and has no side effects. Each partition of a topic gets exactly one owner, unless no member is subscribed
 * to the topic.
 */
export function coAssign(
  members: readonly AssignMember[],
  partitionsOf: ReadonlyMap<string, number>,
): Map<string, Record<string, number[]>> {
  const ids = members.map(({ id }) => id).sort()
  const assigned = new Map<string, Record<string, number[]>>(ids.map(id => [id, {}]))
  const load = new Map<string, number>(ids.map(id => [id, 0]))

  const sets = new Map<string, { readonly count: number; readonly owners: readonly string[]; readonly topics: string[] }>()
  for (const [topic, count] of [...partitionsOf].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const owners = ids.filter(id => members.some(member => member.id === id && member.topics.includes(topic)))
    if (owners.length === 0) continue
    const key = `${count} ${owners.join(' ')}`
    const set = sets.get(key)
    if (set) set.topics.push(topic)
    else sets.set(key, { count, owners, topics: [topic] })
  }
  // The largest topic sets are assigned first. The smaller sets then go to the members with the lowest load.
  for (const { count, owners, topics } of [...sets.values()].sort((a, b) => b.count * b.topics.length - a.count * a.topics.length)) {
    for (let partition = 0; partition < count; partition++) {
      const owner = owners.reduce((least, id) => (load.get(id)! < load.get(least)! ? id : least))
      load.set(owner, load.get(owner)! + topics.length)
      const own = assigned.get(owner)!
      for (const topic of topics) (own[topic] ??= []).push(partition)
    }
  }
  return assigned
}

const NAME = 'svc-co-partitioned'
const VERSION = 1

export const coPartitionedAssigner: PartitionAssigner = ({ cluster }) => ({
  name: NAME,
  version: VERSION,
  async assign({ members, topics }) {
    const subscribed = members.map(({ memberId, memberMetadata }) => ({
      id: memberId,
      topics: MemberMetadata.decode(memberMetadata)?.topics ?? topics,
    }))
    // During a rolling upgrade, other members can be subscribed to topics that this member, the group's leader, does not read.
    const all = [...new Set(subscribed.flatMap(member => member.topics))]
    await cluster.addMultipleTargetTopics(all)
    const counts = new Map(all.map(topic => [topic, cluster.findTopicPartitionMetadata(topic).length]))
    return [...coAssign(subscribed, counts)].map(([memberId, assignment]) => ({
      memberId,
      memberAssignment: MemberAssignment.encode({ version: VERSION, assignment, userData: Buffer.alloc(0) }),
    }))
  },
  protocol: ({ topics }) => ({
    name: NAME,
    metadata: MemberMetadata.encode({ version: VERSION, topics, userData: Buffer.alloc(0) }),
  }),
})
