// Group membership without fetches: join, heartbeat, commit and leave are separate requests to the coordinator. This module does not
// use kafkajs's consumer, because that consumer sends heartbeats and commits only in its fetch loop.
import kafkajs, { type Assigner, type Cluster, type GroupMember } from 'kafkajs'
import { coPartitionedAssigner } from './assigner.ts'
import { answerMs, withinDeadline } from './deadline.ts'
import { isMembershipLost, protocolError } from './failures.ts'

export interface Generation {
  readonly id: number
  readonly memberId: string
  /** The member's partitions, by the topic's name on the brokers. */
  readonly assignment: Readonly<Record<string, readonly number[]>>
}

export interface Member {
  /** Makes one attempt to join the group. The attempt lasts until the other members have joined. Rejects with the brokers' error. */
  join(): Promise<Generation>
  /** Rejects with REBALANCE_IN_PROGRESS if the member must join again. Even after this rejection, the session stays alive. */
  heartbeat(generation: Generation): Promise<void>
  commit(
    generation: Generation,
    at: { readonly topic: string; readonly partition: number },
    offset: number,
    metadata: string,
  ): Promise<void>
  leave(): Promise<void>
}

export interface MemberOptions {
  /** While a join waits, a broker serves no other request on its connection, so each member has its own connections. */
  readonly cluster: Cluster
  readonly groupId: string
  /** Topic names on the brokers. */
  readonly topics: readonly string[]
  readonly sessionTimeoutMs: number
  readonly rebalanceTimeoutMs: number
}

/** kafkajs's types omit these methods. */
interface Coordinator {
  joinGroup(request: object): Promise<{
    readonly generationId: number
    readonly memberId: string
    readonly leaderId: string
    readonly members: GroupMember[]
  }>
  syncGroup(request: object): Promise<{ readonly memberAssignment: Buffer }>
  heartbeat(request: object): Promise<unknown>
  leaveGroup(request: object): Promise<unknown>
  offsetCommit(request: object): Promise<unknown>
}
interface ClusterInternals {
  findGroupCoordinator(request: { groupId: string }): Promise<Coordinator>
}

const leaveMs = 5_000

export function createMember(options: MemberOptions): Member {
  const { cluster, groupId, sessionTimeoutMs, rebalanceTimeoutMs } = options
  const topics = [...options.topics]
  const assigner: Assigner = coPartitionedAssigner({ cluster, groupId, logger: undefined as never })
  let coordinator: Coordinator | undefined
  let memberId = ''

  async function ask<T>(doing: string, request: (coordinator: Coordinator) => Promise<T>, ms = answerMs): Promise<T> {
    try {
      coordinator ??= await withinDeadline((cluster as unknown as ClusterInternals).findGroupCoordinator({ groupId }), answerMs, doing)
      return await withinDeadline(request(coordinator), ms, doing)
    } catch (error) {
      // Another broker may have become the coordinator, so the next request looks up the coordinator. Only the coordinator returns
      // membership errors other than NOT_COORDINATOR_FOR_GROUP. After these errors, no look-up is needed.
      if (!isMembershipLost(error) || protocolError(error) === 'NOT_COORDINATOR_FOR_GROUP') coordinator = undefined
      throw error
    }
  }

  async function assignAll(members: GroupMember[]): Promise<readonly object[]> {
    await cluster.refreshMetadata()
    return assigner.assign({ members, topics })
  }

  return {
    async join() {
      await cluster.addMultipleTargetTopics(topics)
      try {
        const joined = await ask(
          `Joining group ${groupId}`,
          one =>
            one.joinGroup({
              groupId,
              sessionTimeout: sessionTimeoutMs,
              rebalanceTimeout: rebalanceTimeoutMs,
              memberId,
              groupProtocols: [assigner.protocol({ topics })],
            }),
          rebalanceTimeoutMs + answerMs,
        )
        memberId = joined.memberId
        const { generationId } = joined
        const groupAssignment = joined.leaderId === memberId ? await assignAll(joined.members) : []
        const { memberAssignment } = await ask(
          `Reading the assignment of group ${groupId}`,
          one => one.syncGroup({ groupId, generationId, memberId, groupAssignment }),
          rebalanceTimeoutMs + answerMs,
        )
        const assignment = kafkajs.AssignerProtocol.MemberAssignment.decode(memberAssignment)?.assignment ?? {}
        return { id: generationId, memberId, assignment }
      } catch (error) {
        if (protocolError(error) === 'UNKNOWN_MEMBER_ID') memberId = ''
        throw error
      }
    },

    async heartbeat({ id, memberId: ofGeneration }) {
      const request = { groupId, groupGenerationId: id, memberId: ofGeneration }
      await ask(`A heartbeat of group ${groupId}`, one => one.heartbeat(request), sessionTimeoutMs)
    },

    async commit({ id, memberId: ofGeneration }, { topic, partition }, offset, metadata) {
      const topicsOf = [{ topic, partitions: [{ partition, offset: String(offset), metadata }] }]
      const request = { groupId, groupGenerationId: id, memberId: ofGeneration, topics: topicsOf }
      await ask(`The commit of ${topic}/${partition}`, one => one.offsetCommit(request))
    },

    async leave() {
      if (memberId === '') return
      const left = { groupId, memberId }
      memberId = ''
      await ask(`Leaving group ${groupId}`, one => one.leaveGroup(left), leaveMs)
    },
  }
}
