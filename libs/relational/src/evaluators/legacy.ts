// Targets that v3 can evaluate and v4 cannot: whole traces, and items of v3's datasets (contract §9.4.7).
const targets: readonly string[] = ['trace', 'dataset']

export const isLegacyTarget = (target: string): boolean => targets.includes(target)
