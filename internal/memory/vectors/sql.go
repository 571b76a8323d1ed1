package vectors

// A slot is the place of a vector: the number of its partition in the upper
// half, so that the vectors of a partition lie together, and a number that is
// never used again in the lower.
const slotBits = 32

func firstSlot(partition int64) int64 { return partition << slotBits }

func lastSlot(partition int64) int64 { return (partition+1)<<slotBits - 1 }

const (
	selectPartition = `
	SELECT id, dimensions, sealed, floor, centre FROM memory_vector_partitions
	WHERE workspace_id = ? AND scope = ? AND embedder = ?`

	selectPartitions = `
	SELECT id, workspace_id, scope, embedder, dimensions, sealed, floor FROM memory_vector_partitions
	WHERE workspace_id = ? AND (? = '' OR scope = ?) AND (? = '' OR embedder = ?)
	ORDER BY scope, embedder`

	insertPartition = `
	INSERT INTO memory_vector_partitions (workspace_id, scope, embedder, dimensions, sealed, floor)
	VALUES (?, ?, ?, ?, 0, 0)`

	updateSealed = `UPDATE memory_vector_partitions SET sealed = ?, centre = ? WHERE id = ?`

	updateFloor = `UPDATE memory_vector_partitions SET floor = ? WHERE id = ? AND floor < ?`

	deletePartition = `DELETE FROM memory_vector_partitions WHERE id = ?`

	selectLastSlot = `SELECT slot FROM memory_vectors WHERE slot BETWEEN ? AND ? ORDER BY slot DESC LIMIT 1`

	insertVector = `
	INSERT INTO memory_vectors (slot, partition_id, id, vec) VALUES (?, ?, ?, ?)
	ON CONFLICT (partition_id, id) DO NOTHING`

	deleteVector = `DELETE FROM memory_vectors WHERE partition_id = ? AND id = ? RETURNING slot`

	deleteVectors = `DELETE FROM memory_vectors WHERE slot BETWEEN ? AND ?`

	countVectors = `SELECT count(*) FROM memory_vectors WHERE partition_id = ?` // the index has it all, without the vectors

	// The rows of a partition after a slot.
	selectRows = `SELECT slot, id, vec FROM memory_vectors WHERE slot > ? AND slot <= ? ORDER BY slot LIMIT ?`

	// The plus keeps the planner from walking through the whole partition.
	selectSlots = `
	SELECT slot, id, vec FROM memory_vectors
	WHERE slot IN (SELECT value FROM json_each(?)) AND +partition_id = ?`

	selectIDs = `
	SELECT slot, id, vec FROM memory_vectors
	WHERE partition_id = ? AND id IN (SELECT value FROM json_each(?))`

	selectAfterID = `
	SELECT slot, id, vec FROM memory_vectors WHERE partition_id = ? AND id > ? ORDER BY id LIMIT ?`

	insertBlock = `INSERT INTO memory_vector_blocks (slot, codes) VALUES (?, ?)`

	updateBlock = `UPDATE memory_vector_blocks SET codes = ? WHERE slot = ?`

	deleteBlocks = `DELETE FROM memory_vector_blocks WHERE slot BETWEEN ? AND ?`

	selectBlocks = `SELECT codes FROM memory_vector_blocks WHERE slot BETWEEN ? AND ? ORDER BY slot`

	// The block a slot is in, and where the one before ends.
	selectBlockOf = `
	SELECT b.slot, length(b.codes) AS size,
		coalesce((SELECT max(a.slot) FROM memory_vector_blocks AS a WHERE a.slot BETWEEN ? AND b.slot - 1), 0) AS before
	FROM memory_vector_blocks AS b WHERE b.slot BETWEEN ? AND ? ORDER BY b.slot LIMIT 1`

	selectBlock = `SELECT codes FROM memory_vector_blocks WHERE slot = ?`

	insertHole = `INSERT INTO memory_vector_holes (slot) VALUES (?)`

	selectHoles = `SELECT slot FROM memory_vector_holes WHERE slot BETWEEN ? AND ?`

	countHoles = `SELECT count(*) FROM memory_vector_holes WHERE slot BETWEEN ? AND ?`

	deleteHoles = `DELETE FROM memory_vector_holes WHERE slot BETWEEN ? AND ?`
)
