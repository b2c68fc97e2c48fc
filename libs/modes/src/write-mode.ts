// The values of the two variables that decide in which tables spans are stored (contract §9.3).

export const writeModes = ['legacy', 'dual', 'events_only'] as const
export type WriteMode = (typeof writeModes)[number]

export const otelBehaviours = ['dual_write', 'direct'] as const
export type OtelBehaviour = (typeof otelBehaviours)[number]
