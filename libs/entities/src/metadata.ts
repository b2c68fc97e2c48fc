// The metadata of an entity is a tree. Each leaf stores the `EventOrder` of the event that set the leaf. If a later event sets a leaf, the
// leaf replaces all values below it. If a later event sets a value below a leaf, this value replaces the leaf. A replaced value is never
// needed again.

import { isJsonObject, parseJson } from '@svc-server/observations/json-text'
import { compareText } from '@svc-server/observations/trace/text-order'
import { compareOrder, type EventOrder, laterOf, type Said } from './order.ts'

/**
 * A node can have a leaf and also members. A join removes all values below the node that are not newer than this leaf. The members that
 * remain hide the leaf.
 */
export interface MetadataNode {
  /** The value as JSON text. Undefined if the value is an object whose members are stored in `members`. */
  readonly leaf: Said<string> | undefined
  readonly members: ReadonlyMap<string, MetadataNode>
}

const noMembers: ReadonlyMap<string, MetadataNode> = new Map()
export const noMetadata: MetadataNode = { leaf: undefined, members: noMembers }

/** A deeper object is stored as one JSON text and not merged, to limit recursion. */
const maxDepth = 16

/** Returns undefined for null, an empty object or an empty list, which change nothing. */
export function metadataOf(value: unknown, by: EventOrder): MetadataNode | undefined {
  if (value === undefined || value === null) return undefined
  // A value that is not an object is stored under the name `metadata`.
  const object = isJsonObject(value) ? value : { metadata: value }
  const members = membersOf(object, by, 0)
  return members.size === 0 ? undefined : { leaf: undefined, members }
}

function membersOf(object: Readonly<Record<string, unknown>>, by: EventOrder, depth: number): Map<string, MetadataNode> {
  const members = new Map<string, MetadataNode>()
  for (const [name, value] of Object.entries(object)) {
    if (isJsonObject(value) && depth < maxDepth) {
      const inner = membersOf(value, by, depth + 1)
      if (inner.size > 0) members.set(name, { leaf: undefined, members: inner })
    } else if (!isEmpty(value)) members.set(name, leafNode({ value: JSON.stringify(value), by }))
  }
  return members
}

const isEmpty = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : isJsonObject(value) && Object.keys(value).length === 0

const leafNode = (leaf: Said<string>): MetadataNode => ({ leaf, members: noMembers })

/** Returns `a` itself if `b` adds nothing. */
export function joinMetadata(a: MetadataNode, b: MetadataNode): MetadataNode {
  if (a === b) return a
  const leaf = a.leaf === undefined ? b.leaf : b.leaf === undefined ? a.leaf : laterOf(a.leaf, b.leaf)
  const kept = leaf === undefined || leaf === a.leaf ? a.members : survivors(a.members, leaf.by)
  const members = joinMembers(kept, leaf === undefined || leaf === b.leaf ? b.members : survivors(b.members, leaf.by))
  return leaf === a.leaf && members === a.members ? a : { leaf, members }
}

function joinMembers(a: ReadonlyMap<string, MetadataNode>, b: ReadonlyMap<string, MetadataNode>): ReadonlyMap<string, MetadataNode> {
  if (b.size === 0) return a
  if (a.size === 0) return b
  let joined: Map<string, MetadataNode> | undefined
  for (const [name, node] of b) {
    const known = a.get(name)
    const next = known === undefined ? node : joinMetadata(known, node)
    if (next !== known) (joined ??= new Map(a)).set(name, next)
  }
  return joined ?? a
}

/** Returns a node's members without the values that are not newer than the node's leaf. If all are newer, returns `members` itself. */
function survivors(members: ReadonlyMap<string, MetadataNode>, above: EventOrder): ReadonlyMap<string, MetadataNode> {
  let kept: Map<string, MetadataNode> | undefined
  for (const [name, node] of members) {
    const leaf = node.leaf !== undefined && compareOrder(node.leaf.by, above) > 0 ? node.leaf : undefined
    const inner = survivors(node.members, above)
    if (leaf === node.leaf && inner === node.members) continue
    kept ??= new Map(members)
    if (leaf === undefined && inner.size === 0) kept.delete(name)
    else kept.set(name, { leaf, members: inner })
  }
  return kept ?? members
}

export interface MetadataLeaf extends Said<string> {
  readonly path: readonly string[]
}

/** Returns the leaves of the tree. Equal trees give their leaves in the same order. */
export function leavesOf(node: MetadataNode, path: readonly string[] = [], into: MetadataLeaf[] = []): MetadataLeaf[] {
  if (node.leaf !== undefined) into.push({ ...node.leaf, path })
  for (const name of sortedNames(node)) leavesOf(node.members.get(name)!, [...path, name], into)
  return into
}

/** Builds the tree from its leaves, which can have any order. */
export function treeOf(leaves: readonly MetadataLeaf[]): MetadataNode {
  interface Growing {
    leaf: Said<string> | undefined
    members: Map<string, Growing>
  }
  const root: Growing = { leaf: undefined, members: new Map() }
  for (const { path, value, by } of leaves) {
    let at = root
    for (const name of path) {
      let next = at.members.get(name)
      if (next === undefined) at.members.set(name, (next = { leaf: undefined, members: new Map() }))
      at = next
    }
    at.leaf = { value, by }
  }
  return root
}

/**
 * Returns the top-level members, sorted by name. `json` is the JSON of the value. `text` is the value itself if it is a text, and its JSON
 * if not.
 */
export function metadataEntries(node: MetadataNode): (readonly [name: string, text: string, json: string])[] {
  return sortedNames(node).map(name => {
    const json = jsonOfNode(node.members.get(name)!)
    const text = json.startsWith('"') ? parseJson(json) : json
    return [name, typeof text === 'string' ? text : json, json]
  })
}

function jsonOfNode(node: MetadataNode): string {
  if (node.members.size === 0) return node.leaf!.value
  return `{${sortedNames(node)
    .map(name => `${JSON.stringify(name)}:${jsonOfNode(node.members.get(name)!)}`)
    .join(',')}}`
}

const sortedNames = ({ members }: MetadataNode): string[] => [...members.keys()].sort(compareText)
