print("netvane")
