/** True if the name is an array index (ECMA-262, 6.1.7). V8 stores members with such names in an array of slots. */
function isIndex(name: string): boolean {
  const first = name.charCodeAt(0)
  return first >= 0x30 && first <= 0x39 && name === String(Number(name) >>> 0) && name !== '4294967295'
}

const lastIndex = 4_294_967_294

/**
 * If several members have the same name, the last member is used. Without the code below, `{"1023":1}` would take 12 KB for the slots of
 * all lower indexes. To make V8 store all members of the object by name, the code sets a member with the highest possible index, and then
 * deletes this member.
 */
export function objectOf(members: Iterable<readonly [name: string, value: unknown]>): Record<string, unknown> {
  const object: Record<string, unknown> = {}
  let isByName = false
  for (const [name, value] of members) {
    if (!isByName && isIndex(name)) {
      object[lastIndex] = undefined
      delete object[lastIndex]
      isByName = true
    }
    if (name === '__proto__') Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
    else object[name] = value
  }
  return object
}
