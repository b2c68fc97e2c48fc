export interface ListedProject {
  readonly id: string
  readonly name: string
  readonly metadata: unknown
  readonly createdAt: Date
  readonly updatedAt: Date
}

interface Row {
  readonly id: string
  readonly name: string
  readonly metadata: unknown
  readonly created_at: Date
  readonly updated_at: Date
}

export const listedProject = ({ id, name, metadata, created_at: createdAt, updated_at: updatedAt }: Row): ListedProject => ({
  ...{ id, name, metadata, createdAt, updatedAt },
})
