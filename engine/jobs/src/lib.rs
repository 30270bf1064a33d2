//! The job graph: hecs systems and chunk jobs on rayon workers.
