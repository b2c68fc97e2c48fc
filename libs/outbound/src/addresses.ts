// Decides which addresses are external. Only global unicast addresses are.
import ipaddr from 'ipaddr.js'

export type IsAllowed = (address: string) => boolean

type Range = ReturnType<typeof ipaddr.parseCIDR>

/**
 * Addresses in the public range that only the virtual machines of a cloud can reach. Azure's WireServer, for example, returns settings and
 * keys of the machine.
 */
const ofVirtualMachines = new Set(['168.63.129.16'])

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast' || ofVirtualMachines.has(address.toString())) return false
  // An IPv6 address must be in 2000::/3. This range contains neither addresses with an embedded IPv4 address (::127.0.0.1) nor site-local
  // addresses.
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(ipaddr.IPv6.parse('2000::'), 3)
}

function rangeOf(text: string): Range {
  if (text.includes('/')) return ipaddr.parseCIDR(text)
  const address = ipaddr.parse(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128] as unknown as Range
}

/** `allowed` lists the internal addresses and CIDR ranges that the rule accepts. */
export function createAddressRule(allowed: readonly string[]): IsAllowed {
  const ranges = allowed.map(rangeOf)
  return text => {
    if (!ipaddr.isValid(text)) return false
    const address = ipaddr.process(text)
    return isPublic(address) || ranges.some(range => range[0].kind() === address.kind() && address.match(range as [ipaddr.IPv4, number]))
  }
}
