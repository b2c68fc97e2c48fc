// Times of rows. Every insert names both: v3's columns of `updated_at` have no default.

export const timesAt = (at: Date) => ({ created_at: at, updated_at: at })
